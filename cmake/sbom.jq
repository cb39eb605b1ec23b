# The SBOM of the portable builds, SPDX 2.3. Input: lines "PACKAGE VERSION" of cmake/sysroot.sh, Debian's names and versions.
# A license is declared where one covers the library; share/ncclscript/licenses has the texts of all.
{ "lua5.4": "MIT", "jansson": "MIT", "libyaml": "MIT", "libedit-dev": "BSD-3-Clause", "libbsd-dev": "NOASSERTION",
  "libmd-dev": "NOASSERTION", "libtinfo6": "NOASSERTION" } as $compiled_in |
[inputs | split(" ") | { name: .[0], version: .[1] } | select($compiled_in[.name])] as $libraries |
{
  spdxVersion: "SPDX-2.3",
  dataLicense: "CC0-1.0",
  SPDXID: "SPDXRef-DOCUMENT",
  name: "ncclscript-\($version)",
  documentNamespace: "urn:ncclscript:\($version):\($commit)",
  creationInfo: { created: $created, creators: ["Tool: ncclscript-release"] },
  packages: ([{
    SPDXID: "SPDXRef-ncclscript", name: "ncclscript", versionInfo: $version, supplier: "NOASSERTION",
    downloadLocation: "NOASSERTION", filesAnalyzed: false, licenseConcluded: "Apache-2.0", licenseDeclared: "Apache-2.0",
    copyrightText: "The ncclscript developers", sourceInfo: "commit \($commit)", primaryPackagePurpose: "APPLICATION"
  }] + [$libraries[] | {
    SPDXID: "SPDXRef-\(.name)", name, versionInfo: .version, supplier: "Organization: Debian",
    downloadLocation: "NOASSERTION", filesAnalyzed: false, licenseConcluded: "NOASSERTION",
    licenseDeclared: $compiled_in[.name], copyrightText: "NOASSERTION", primaryPackagePurpose: "LIBRARY",
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
                     referenceLocator: "pkg:deb/debian/\(.name)@\(.version | @uri)" }]
  }]),
  relationships: ([{ spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: "SPDXRef-ncclscript" }] +
                  [$libraries[] | { spdxElementId: "SPDXRef-ncclscript", relationshipType: "STATIC_LINK",
                                    relatedSpdxElement: "SPDXRef-\(.name)" }])
}

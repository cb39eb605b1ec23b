"""Is this a page of the run: page.py PAGE CALLS RANKS, with the calls that the run made. Prints what is wrong."""
import base64, hashlib, html.parser, json, pathlib, sys
path, calls, ranks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
parts = pathlib.Path(__file__).parents[2] / "src/report/html/script"
script = "".join((parts / f"{part}.js").read_text("utf-8") for part in "model axis picture panel tools".split())
text = open(path, encoding="utf-8").read()
allowed = set("""html head meta title style body main h1 h2 h3 p pre ul ol li a div section span script noscript
    details summary table caption thead tbody tr th td""".split())
faults, ids, links, policy = [], [], [], ""

class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        global policy
        a = dict(attrs)
        if tag not in allowed:
            faults.append(f"an element <{tag}>")
        faults.extend(f"{k} of <{tag}>" for k in a if k.startswith("on") or k in ("src", "xlink:href"))
        if "href" in a:
            links.append(a["href"])
        if "id" in a:
            ids.append(a["id"])
        policy = a.get("content", policy) if a.get("http-equiv") else policy

Page(convert_charrefs=True).feed(text)
data = json.loads(text.split('id="data">', 1)[1].split("</script>", 1)[0])
FIELDS, CALL = 12, 0
bars = [data["bars"][i:i + FIELDS] for i in range(0, len(data["bars"]), FIELDS)]
drawn, at, seen = 0, 0, []
for g in data["groups"]:
    mine = [r for i in range(0, len(g["ranks"]), 2) for r in range(g["ranks"][i], g["ranks"][i + 1] + 1)]
    seen += mine
    for name, count in zip(g["rows"][::2], g["rows"][1::2]):
        row = bars[at:at + count]
        drawn += len(mine) * sum(b[2] >> 3 & 3 == CALL for b in row)
        if any(x[0] > y[0] for x, y in zip(row, row[1:])):
            faults.append(f"bars of {g['name']}, {name} are out of order")
        at += count
if drawn != calls or at != len(bars):
    faults.append(f"{drawn} calls drawn, {calls} made; {at} bars in rows, {len(bars)} in all")
if sorted(seen) != list(range(ranks)):
    faults.append(f"the ranks {seen} are drawn")
if [f"b{i}" for i in range(len(bars))] != [i for i in ids if i.startswith("b") and i[1:].isdigit()]:
    faults.append("bars and rows of the tables differ")
if len(ids) != len(set(ids)):
    faults.append("an id twice")
faults.extend(f"the link {link} leads nowhere" for link in links if not link.startswith("#") or link[1:] not in ids)
if any(not 0 <= i < len(bars) for n, i in enumerate(data["arrows"]) if n % 3):
    faults.append("an arrow without a bar")
digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
if policy != f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'":
    faults.append(f"the policy is {policy}, the script's hash {digest}")
if text.count("<script") != 2 or f"<script>{script}</script>" not in text:
    faults.append("a script that is not the page's own")
for word in ("http:", "https:", "@import", "url("):
    if word in text.replace("http://www.w3.org/2000/svg", ""):
        faults.append(f"{word} is in it")
if any(c < " " and c not in "\n\t" for c in text):
    faults.append("control characters")
for fault in faults:
    print(f"{path}: {fault}")
sys.exit(bool(faults))

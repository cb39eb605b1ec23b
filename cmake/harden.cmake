# Optimized builds are hardened, the program and the drop-in libraries alike: what reads files of
# strangers should end at a mistake of its own, not go on with it. Builds for debugging and those under
# sanitizers, which look for the same closer, are left as they are.
include(CheckPIESupported)
include(CheckSourceCompiles)

check_pie_supported() # CMAKE_POSITION_INDEPENDENT_CODE links programs as PIE too

if(CMAKE_C_FLAGS MATCHES "-fsanitize")
  return()
endif()

# Level 3 needs a compiler and a libc that know it: glibc warns and takes 2 where the compiler does not.
set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_source_compiles(C "
#include <features.h>
#if __USE_FORTIFY_LEVEL < 3
#error
#endif
int main(void) { return 0; }" NCCLSCRIPT_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
set(level 2)
if(NCCLSCRIPT_FORTIFY_3)
  set(level 3)
endif()

set(optimized "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
add_compile_options("$<${optimized}:-fstack-protector-strong>"
                    "$<${optimized}:-U_FORTIFY_SOURCE>" "$<${optimized}:-D_FORTIFY_SOURCE=${level}>")
add_link_options("$<${optimized}:LINKER:-z,relro,-z,now,-z,noexecstack>")

# Cross-compiles for 64-bit ARM with Debian's g++-aarch64-linux-gnu and runs what is built with qemu-user: see the
# preset of the same name and `make test-aarch64`. Another compiler or emulator: set it on the command line.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc CACHE STRING "C compiler")
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++ CACHE STRING "C++ compiler")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu CACHE STRING "Runs programs of the target")

# No libraries, headers or CMake packages of the host's architecture. Those of no architecture in particular (Eigen,
# nlohmann-json) lie in /usr/share and are found there.
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)

# Run by CTest with cmake -P; the variables come from CMakeLists.txt beside it. Any failing step fails the test.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

# Installed in one place and used from another: nothing in it may point back to where it was.
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/before_move)
file(RENAME ${WORK_DIR}/before_move ${prefix})

if(WITH_CLI)
  run(${prefix}/${BINDIR}/roipca --help)
endif()

# By CMake. The flags are those of the library, because a sanitized library needs a sanitized program.
run(${CMAKE_COMMAND} -S ${FOREIGN_DIR} -B ${WORK_DIR}/by_cmake -G ${GENERATOR} -D CMAKE_BUILD_TYPE=${CONFIG}
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D CMAKE_PREFIX_PATH=${prefix}
    -D EXPECTED_PREFIX=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/by_cmake --config ${CONFIG})
find_program(foreign NAMES foreign PATHS ${WORK_DIR}/by_cmake ${WORK_DIR}/by_cmake/${CONFIG} NO_DEFAULT_PATH REQUIRED)
run(${foreign})

# By pkg-config and the plain compiler.
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
execute_process(
  COMMAND ${PKG_CONFIG} --cflags --libs roipca
  OUTPUT_VARIABLE flags
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(library_flags UNIX_COMMAND "${CXX_FLAGS}")
run(${CXX} -std=c++20 -O1 ${library_flags} ${FOREIGN_DIR}/main.cpp -o ${WORK_DIR}/by_pkg_config ${flags})
run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${LIBDIR} ${WORK_DIR}/by_pkg_config)

# Programs whose own Eigen is compiled otherwise than the library's, for this machine's instruction set or without vectors,
# and with no function inlined, so that the linker meets all of them.
execute_process(COMMAND ${PKG_CONFIG} --cflags eigen3 OUTPUT_VARIABLE eigen_flags OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(eigen_flags UNIX_COMMAND "${eigen_flags}")
set(native_16 -O2 -march=native -DEIGEN_MAX_ALIGN_BYTES=16)
set(native_32 -O0 -march=native -DEIGEN_MAX_ALIGN_BYTES=32)
set(native_64 -O0 -march=native -DEIGEN_MAX_ALIGN_BYTES=64)
set(no_vectors -O0 -DEIGEN_DONT_VECTORIZE)
foreach(variant native_16 native_32 native_64 no_vectors)
  run(${CXX} -std=c++20 ${${variant}} ${library_flags} ${FOREIGN_DIR}/own_eigen.cpp -o ${WORK_DIR}/${variant} ${eigen_flags}
      ${flags})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${LIBDIR} ${WORK_DIR}/${variant})
endforeach()

# The reason why this works: no symbol of the library is in the namespace Eigen.
file(GLOB library ${prefix}/${LIBDIR}/libroipca.*)
list(GET library 0 library)
execute_process(COMMAND ${NM} ${library} OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "12roipca_eigen" OR symbols MATCHES "[^0-9]5Eigen")
  message(FATAL_ERROR "${library} has symbols of the namespace Eigen, which a program's own Eigen would clash with")
endif()

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

# For this machine's own instruction set: matrices cross the border, and Eigen's allocator must be the same on both sides.
run(${CXX} -std=c++20 -O1 -march=native ${library_flags} ${FOREIGN_DIR}/main.cpp -o ${WORK_DIR}/native ${flags})
run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${LIBDIR} ${WORK_DIR}/native)

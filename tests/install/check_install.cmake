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
  foreach(file bash-completion/completions/roipca zsh/site-functions/_roipca fish/vendor_completions.d/roipca.fish
               man/man1/roipca.1)
    file(READ ${prefix}/share/${file} text)
    if(NOT text MATCHES "model.?-every")
      message(FATAL_ERROR "share/${file} lacks options of roipca fit")
    endif()
  endforeach()
endif()

# By CMake. The flags are those of the library, because a sanitized library needs a sanitized program.
run(${CMAKE_COMMAND} -S ${FOREIGN_DIR} -B ${WORK_DIR}/by_cmake -G ${GENERATOR} -D CMAKE_BUILD_TYPE=${CONFIG}
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D CMAKE_PREFIX_PATH=${prefix}
    -D EXPECTED_PREFIX=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/by_cmake --config ${CONFIG})
find_program(foreign NAMES foreign PATHS ${WORK_DIR}/by_cmake ${WORK_DIR}/by_cmake/${CONFIG} NO_DEFAULT_PATH REQUIRED)
run(${foreign})

# The examples, as a reader would build them.
run(${CMAKE_COMMAND} -S ${EXAMPLES_DIR} -B ${WORK_DIR}/examples -G ${GENERATOR} -D CMAKE_BUILD_TYPE=${CONFIG}
    -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_CXX_FLAGS=${CXX_FLAGS} -D CMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/examples --config ${CONFIG})

function(expect_output expected example) # expect_output(REGEX EXAMPLE [ARGUMENT...])
  find_program(path_of_${example} NAMES ${example} PATHS ${WORK_DIR}/examples ${WORK_DIR}/examples/${CONFIG} NO_DEFAULT_PATH
               REQUIRED)
  execute_process(COMMAND ${path_of_${example}} ${ARGN} INPUT_FILE ${WORK_DIR}/rows.txt OUTPUT_VARIABLE output
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${example} printed\n${output}instead of ${expected}")
  endif()
endfunction()

# Forty rows along a line, and one off it.
foreach(i RANGE 1 40)
  math(EXPR twice "2 * ${i}")
  math(EXPR third "${i} % 3")
  file(APPEND ${WORK_DIR}/rows.txt "${i} ${twice} ${third} 0\n")
endforeach()
file(APPEND ${WORK_DIR}/rows.txt "20 40 1 50\n")
expect_output("\n40\t[0-9.e+-]+\t([0-9.]+e-[0-9]+|0)\n41\t[0-9.e+-]+\t2500\n$" stream_from_stdin)
expect_output("^[67][0-9]\\.[0-9] % of the variance" fit_and_read ${WORK_DIR}/model.safetensors)
expect_output("^20000 rows\nvariance [01]\\." merge_from_threads)

# One program per public header, each of which ends with an error if what it shows is not so.
file(GLOB headers ${prefix}/include/roipca/*.hpp)
list(FILTER headers EXCLUDE REGEX "/roipca\\.hpp$")
list(LENGTH headers expected_programs)
file(GLOB programs ${EXAMPLES_DIR}/reference/*.cpp)
list(LENGTH programs found_programs)
if(NOT found_programs EQUAL expected_programs)
  message(FATAL_ERROR "${found_programs} examples for ${expected_programs} public headers")
endif()
run(${WORK_DIR}/examples/reference_eigen) # left out where there is no Eigen
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/examples -C ${CONFIG} --output-on-failure --no-tests=error)

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

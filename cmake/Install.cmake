# Defines what `cmake --install` installs: the library, the headers, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/roipca)

install(
  TARGETS roipca
  EXPORT roipcaTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/roipca
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING
  PATTERN "*.hpp")
install(
  EXPORT roipcaTargets
  NAMESPACE roipca::
  DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/roipcaConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/roipcaConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/roipcaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/roipcaConfig.cmake ${PROJECT_BINARY_DIR}/roipcaConfigVersion.cmake
        DESTINATION ${package_dir})

# The .pc file uses paths relative to itself, so that an installed tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PC_PREFIX ${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" PC_PREFIX "${PC_PREFIX}")
file(RELATIVE_PATH PC_INCLUDEDIR ${pkgconfig_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/roipca.pc.in ${PROJECT_BINARY_DIR}/roipca.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/roipca.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

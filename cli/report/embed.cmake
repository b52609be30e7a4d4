# Puts the style and the script of the report's page into a C++ source, with their hashes for its security policy.

# Converts the hexadecimal digits of a SHA-256 hash to base64.
function(roipca_base64 hex result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  # 64 digits and two zeros are eleven groups of 24 bits. The last character stands for padding only.
  set(text "")
  foreach(group RANGE 10)
    math(EXPR start "6 * ${group}")
    string(SUBSTRING "${hex}00" ${start} 6 digits)
    foreach(shift 18 12 6 0)
      math(EXPR index "(0x${digits} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${index} 1 character)
      string(APPEND text ${character})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${result} ${text}= PARENT_SCOPE)
endfunction()

# Concatenates the given files of page/ into the variable `name`, and sets `name`_hash.
function(roipca_page_asset name)
  set(text "")
  foreach(file IN LISTS ARGN)
    set(path ${CMAKE_CURRENT_LIST_DIR}/page/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} content)
    string(APPEND text "${content}")
  endforeach()
  string(SHA256 hex "${text}")
  roipca_base64(${hex} hash)
  set(${name} "${text}" PARENT_SCOPE)
  set(${name}_hash ${hash} PARENT_SCOPE)
endfunction()

roipca_page_asset(page_style page.css)
roipca_page_asset(
  page_script
  dom.js
  numbers.js
  tooltip.js
  plot.js
  spectrum.js
  scores.js
  loading_bars.js
  loading_lines.js
  loading_images.js
  main.js)
# The page of roipca watch shares the parts that draw plots.
roipca_page_asset(watch_style page.css ../../watch/page/watch.css)
roipca_page_asset(watch_script dom.js numbers.js tooltip.js plot.js scores.js ../../watch/page/watch.js)
configure_file(${CMAKE_CURRENT_LIST_DIR}/assets.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/report/assets.cpp @ONLY)

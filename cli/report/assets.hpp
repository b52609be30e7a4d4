/// The style and the script of the page, from the files in page/, which the build puts into the program.
#pragma once

namespace roipca::cli {

struct Asset {
  const char* text;
  const char* hash;  ///< as a Content-Security-Policy names it: 'sha256-...'
};

extern const Asset kPageStyle;
extern const Asset kPageScript;

}  // namespace roipca::cli

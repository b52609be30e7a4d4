/// The styles and scripts of the report and of the page of `watch`, from the files in the folders page/,
/// which the build puts into the program.
#pragma once

namespace roipca::cli {

struct Asset {
  const char* text;
  const char* hash;  ///< as a Content-Security-Policy names it: 'sha256-...'
};

extern const Asset kPageStyle;
extern const Asset kPageScript;
extern const Asset kWatchStyle;
extern const Asset kWatchScript;

}  // namespace roipca::cli

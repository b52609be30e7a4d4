/// The styles and scripts of the pages of `report` and `watch`. The build embeds them from the files in the
/// folders page/.
#pragma once

namespace roipca::cli {

struct Asset {
  const char* text;
  const char* hash;  ///< for the Content-Security-Policy: 'sha256-...'
};

extern const Asset kPageStyle;
extern const Asset kPageScript;
extern const Asset kWatchStyle;
extern const Asset kWatchScript;

}  // namespace roipca::cli

/// Work that may crash, tried out.
#pragma once

#include <functional>

namespace roipca::cli {

/// Whether `work` would end the process: a child of it tries. The child has this thread only, so that `work`
/// must not wait for another one. What it throws is no crash. Throws Interrupted.
bool crashes(const std::function<void()>& work);

}  // namespace roipca::cli

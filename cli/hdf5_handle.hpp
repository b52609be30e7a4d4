/// RAII wrapper for the handles of HDF5. Included only where the build has HDF5.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>

#include "roipca/errors.hpp"

namespace roipca::cli {

/// Held while this process uses the HDF5 library. A child process that reads a file is forked from another
/// thread, and no thread may be inside the library at that moment.
inline std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Owns a handle and closes it with `close`. The constructor throws FileError("HDF5 cannot <action>") if the
/// handle is invalid.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close, const std::string& action) : id_(id), close_(close) {
    if (id < 0) throw FileError("HDF5 cannot " + action);
  }
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }

  hid_t id() const { return id_; }
  /// Closes the handle now. Returns false if that failed, for instance because the disk is full.
  bool reset() {
    const bool closed = id_ < 0 || close_(id_) >= 0;
    id_ = -1;
    return closed;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Call this before any other HDF5 function, in each thread. By default HDF5 prints its errors, in some
/// builds separately for each thread; our messages replace them. It would also flush at exit what a failed
/// write left behind, which crashes; everything that must be kept has been closed by then.
inline void silence_hdf5() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

template <typename T>
hid_t hdf5_type() {
  return sizeof(T) == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

}  // namespace roipca::cli

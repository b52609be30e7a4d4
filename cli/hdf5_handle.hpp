/// HDF5's handles, closed at the end of their lives. Only where the build has HDF5.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>

#include "roipca/errors.hpp"

namespace roipca::cli {

/// Held while this process is in the library: a child that reads a file is forked from another thread, and
/// must find the library at rest.
inline std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// `close` is the function for this kind of handle. Throws FileError("cannot <action>") for a handle that is
/// none.
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
  /// Closes now; false where that failed, as when the disk is full.
  bool reset() {
    const bool closed = id_ < 0 || close_(id_) >= 0;
    id_ = -1;
    return closed;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Call it before any other function of HDF5, in each thread. HDF5 prints its errors unless told not to, in
/// some builds in each thread; our messages replace them. And at exit it would write what a failed write left
/// behind, which crashes: everything that is to stay has been closed by then.
inline void silence_hdf5() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

template <typename T>
hid_t hdf5_type() {
  return sizeof(T) == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

}  // namespace roipca::cli

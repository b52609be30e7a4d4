#include <unistd.h>

#include <cstdlib>

#include "fuzz/fuzzing.hpp"
#include "readers/hdf5.hpp"

namespace {

// HDF5 opens files by their path. The file is in memory if the system has such a folder.
class TemporaryFile {
 public:
  TemporaryFile(const std::uint8_t* data, std::size_t size) {
    if (access("/dev/shm", W_OK) != 0) path_ = "/tmp/roipca-fuzz-XXXXXX";
    const int file = mkstemp(path_.data());
    if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
    close(file);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/dev/shm/roipca-fuzz-XXXXXX";
};

}  // namespace

// HDF5 allocates as much memory as a damaged file asks for, reports an error if there is not enough, and
// leaks some of it. NOLINTBEGIN(bugprone-reserved-identifier): names of the sanitizers
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
// NOLINTEND(bugprone-reserved-identifier)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roipca::cli;
  const TemporaryFile file(data, size);
  return refusing([&] {
    const auto reader = open_hdf5<float>(file.path(), "");
    // A small file can be a very large dataset of zeros, which is legal.
    if (reader->columns() > 10000 || *reader->rows() > 10000) return;
    read_everything(*reader);
  });
}

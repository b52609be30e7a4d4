// Sparse matrices as scipy.sparse.save_npz writes them: a zip archive with an npy file per array.
#include <utility>

#include "readers/binary.hpp"
#include "readers/csr_arrays.hpp"
#include "readers/sparse_files.hpp"
#include "readers/zip.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// A vector in a member of the archive.
template <typename V>
class NpyVector : public VectorSource<V> {
 public:
  NpyVector(std::shared_ptr<ZipArchive> archive, const std::string& name, bool must_be_whole)
      : archive_(std::move(archive)), name_(name) {
    try {
      stream_ = archive_->open(name);
      const NpyHeader header = read_npy_start(*stream_);
      type_ = header.type;
      if (header.shape.size() != 1) throw FileError("it must have one dimension");
      if (must_be_whole && type_.kind == ElementType::Kind::kFloat)
        throw FileError("it does not hold whole numbers");
      size_ = header.shape[0];
    } catch (const FileError& error) {
      fail(error);
    }
  }

  std::uint64_t size() const override { return size_; }

  void read(std::span<V> to) override {
    buffer_.resize(to.size() * type_.size);
    try {
      const std::size_t have = stream_->read_fully(buffer_);
      if (have < buffer_.size()) {
        throw FileError("cut off: " + std::to_string(buffer_.size()) + " bytes expected, got " +
                        std::to_string(have));
      }
    } catch (const FileError& error) {
      fail(error);
    }
    convert(buffer_.data(), to.size(), type_, to.data());
  }

 private:
  [[noreturn]] void fail(const FileError& error) const { throw FileError(name_ + ": " + error.what()); }

  std::shared_ptr<ZipArchive> archive_;
  std::string name_;
  std::unique_ptr<PeekedStream> stream_;
  ElementType type_;
  std::uint64_t size_ = 0;
  std::vector<char> buffer_;
};

// Returns the characters of a string array such as "csr", which take one or four bytes each.
std::string letters(const ZipArchive& archive, const std::string& name) {
  constexpr std::size_t kEnough = 4096;
  std::string bytes(kEnough, '\0');
  bytes.resize(archive.open(name)->read_fully(bytes));
  std::string text;
  for (const char c : bytes.substr(std::min(bytes.size(), bytes.rfind('\n') + 1))) {
    if (c != '\0') text += c;
  }
  return text;
}

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_npz(std::unique_ptr<ByteStream> file) {
  const auto archive = std::make_shared<ZipArchive>(std::move(file));
  for (const char* name : {"format.npy", "shape.npy", "data.npy"}) {
    if (archive->has(name)) continue;
    throw FileError("a zip file, but not a matrix of scipy.sparse.save_npz: it has " + archive->names() +
                    ". Unpack it, or save the matrix with save_npz");
  }
  const std::string form = letters(*archive, "format.npy");
  if (form != "csr" || !archive->has("indices.npy") || !archive->has("indptr.npy")) {
    throw FileError("a matrix in the form \"" + form +
                    "\", whose rows cannot be read one by one: save matrix.tocsr() instead");
  }
  NpyVector<std::int64_t> shape(archive, "shape.npy", true);
  if (shape.size() != 2) throw FileError("its shape has " + std::to_string(shape.size()) + " numbers, not 2");
  std::int64_t sizes[2] = {};
  shape.read(sizes);
  CsrArrays<T> arrays{.rows = sizes[0],
                      .columns = sizes[1],
                      .starts = std::make_unique<NpyVector<std::int64_t>>(archive, "indptr.npy", true),
                      .indices = std::make_unique<NpyVector<std::int64_t>>(archive, "indices.npy", true),
                      .values = std::make_unique<NpyVector<T>>(archive, "data.npy", false)};
  return std::make_unique<CsrReader<T>>(std::move(arrays));
}

template std::unique_ptr<RowReader<float>> open_npz(std::unique_ptr<ByteStream>);
template std::unique_ptr<RowReader<double>> open_npz(std::unique_ptr<ByteStream>);

}  // namespace roipca::cli

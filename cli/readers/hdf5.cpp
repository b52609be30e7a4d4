// Damaged files can crash the HDF5 library at any row, so a child process reads the file and sends the rows.
#include "readers/hdf5.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "readers/hdf5_dataset.hpp"
#include "readers/hdf5_sparse.hpp"
#include "readers/worker_process.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// The pieces that the child sends, each preceded by its kind and size: a shape, names if there are any, then
// rows; or an error, which is the last piece.
enum class Kind : std::uint32_t { kShape, kNames, kRows, kSparseRows, kError };

// Location of the rows.
struct Source {
  std::string path;
  std::string dataset;
  bool allow_external = false;
};

struct Piece {
  Kind kind = Kind::kError;
  std::uint64_t bytes = 0;
};

struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool is_sparse = false;
  bool has_names = false;
};

// The header of sparse rows. The ends of the rows, the indices and the values follow.
struct SparseSizes {
  std::int64_t rows = 0;
  std::int64_t entries = 0;
};

template <typename Value>
std::span<const char> bytes_of_value(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void send(WorkerProcess::Output& output, Kind kind, std::span<const char> bytes) {
  const Piece piece = {kind, bytes.size()};
  output.write(bytes_of_value(piece));
  output.write(bytes);
}

// Returns the maximum size in bytes of the rows to hold at once in the child. Large chunks take much less
// time if they are read whole.
std::uint64_t most_bytes_at_once() {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 28U;
  constexpr std::uint64_t kPartOfLimit = 4;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMost;
  return std::min<std::uint64_t>(kMost, limit.rlim_cur / kPartOfLimit);
}

template <typename V>
std::span<const char> bytes_of(const std::vector<V>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(V)};
}

void send_shape(WorkerProcess::Output& output, Shape shape, const std::vector<std::string>& names) {
  shape.has_names = !names.empty();
  send(output, Kind::kShape, bytes_of_value(shape));
  if (names.empty()) return;
  std::string all;
  for (const std::string& name : names) (all += name) += '\0';
  send(output, Kind::kNames, all);
}

template <typename T>
void send_rows(WorkerProcess::Output& output, Hdf5Dataset<T> dataset, std::uint64_t first,
               const std::vector<std::string>& names) {
  send_shape(output,
             {static_cast<std::int64_t>(dataset.rows()), static_cast<std::int64_t>(dataset.columns())},
             names);
  const std::uint64_t at_once = dataset.rows_at_once(most_bytes_at_once());
  std::vector<T> numbers(at_once * dataset.columns());
  // Pieces end where they would if no rows were skipped, so that every chunk is decompressed once.
  for (std::uint64_t row = first, count = 0; row < dataset.rows(); row += count) {
    count = std::min(at_once - row % at_once, dataset.rows() - row);
    dataset.read(row, count, numbers.data());
    const auto bytes = count * dataset.columns() * sizeof(T);
    send(output, Kind::kRows, std::span(reinterpret_cast<const char*>(numbers.data()), bytes));
  }
}

template <typename T>
void send_sparse_rows(WorkerProcess::Output& output, CsrReader<T> reader,
                      const std::vector<std::string>& names) {
  send_shape(output, {.rows = *reader.rows(), .columns = reader.columns(), .is_sparse = true}, names);
  PlacedRows<T> block;
  block.is_sparse = true;
  block.room = Index{1} << 16U;
  while (true) {
    block.sparse.clear(reader.columns());
    block.places.clear();
    reader.read(block);
    if (block.count == 0) return;
    const SparseSizes sizes = {block.sparse.rows(), block.sparse.entries()};
    const auto starts = bytes_of(block.sparse.starts()).subspan(sizeof(std::int64_t));
    const auto indices = bytes_of(block.sparse.indices());
    const auto values = bytes_of(block.sparse.values());
    const Piece piece = {Kind::kSparseRows, sizeof sizes + starts.size() + indices.size() + values.size()};
    output.write(bytes_of_value(piece));
    output.write(bytes_of_value(sizes));
    for (const auto& part : {starts, indices, values}) output.write(part);
  }
}

template <typename T>
void send_matrix(WorkerProcess::Output& output, const Source& source, std::uint64_t first) {
  const Hdf5Handle file = open_hdf5_file(source.path);
  const std::string name = matrix_in(file.id(), source.dataset);
  if (is_group(file.id(), name, source.allow_external)) {
    CsrReader<T> reader(open_hdf5_csr<T>(file.id(), name, source.allow_external));
    const auto names = feature_names(file.id(), name, static_cast<std::uint64_t>(reader.columns()));
    send_sparse_rows(output, std::move(reader), names);
  } else {
    Hdf5Dataset<T> rows(file.id(), name, source.allow_external);
    const auto names = feature_names(file.id(), name, rows.columns());
    send_rows(output, std::move(rows), first, names);
  }
}

template <typename T>
void work(WorkerProcess::Output& output, const Source& source, std::uint64_t first) {
  std::string error;
  try {
    send_matrix<T>(output, source, first);
    return;
  } catch (const std::bad_alloc&) {
    error = "not enough memory to read the dataset";
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  send(output, Kind::kError, error);
}

template <typename T>
class Hdf5Reader : public RowReader<T> {
 public:
  explicit Hdf5Reader(Source source) : source_(std::move(source)) { start(0); }

  Index columns() const override { return shape_.columns; }
  std::vector<std::string> names() const override { return names_; }
  bool is_sparse() const override { return shape_.is_sparse; }
  std::optional<std::int64_t> rows() const override { return shape_.rows; }

  // Starts another child at that row. The position of a sparse row does not follow from its number.
  bool skip(std::int64_t rows) override {
    if (shape_.is_sparse || rows > shape_.rows) return false;
    start(static_cast<std::uint64_t>(rows));
    next_ = rows;
    return true;
  }

  void read(PlacedRows<T>& block) override {
    if (shape_.is_sparse) {
      while (next_ < shape_.rows && !block.is_full()) receive_sparse_rows(block);
    } else {
      receive_rows(block);
    }
    block.fraction = static_cast<double>(next_) / static_cast<double>(shape_.rows);
  }

 private:
  void start(std::uint64_t first) {
    worker_.reset();
    names_.clear();
    std::unique_lock lock(hdf5_mutex());  // no other thread may be inside the library at the fork
    worker_ = std::make_unique<WorkerProcess>([&](WorkerProcess::Output& output) {
      lock.unlock();
      work<T>(output, source_, first);
    });
    lock.unlock();
    next_piece(Kind::kShape);
    receive(std::span(reinterpret_cast<char*>(&shape_), sizeof shape_));
    if (shape_.has_names) receive_names();
  }

  void receive_names() {
    next_piece(Kind::kNames);
    std::string all(left_in_piece_, '\0');
    receive(all);
    for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) {
      names_.emplace_back(all, at, all.find('\0', at) - at);
    }
  }

  void receive_sparse_rows(PlacedRows<T>& block) {
    next_piece(Kind::kSparseRows);
    SparseSizes sizes;
    receive(std::span(reinterpret_cast<char*>(&sizes), sizeof sizes));
    const auto ends = received<std::int64_t>(sizes.rows);
    const auto indices = received<std::int64_t>(sizes.entries);
    const auto values = received<T>(sizes.entries);
    std::size_t e = 0;
    for (const std::int64_t end : ends) {
      for (; e < static_cast<std::size_t>(end); ++e) block.sparse.add(indices[e], values[e]);
      block.end_sparse_row(next_++);
    }
  }

  template <typename V>
  std::vector<V> received(std::int64_t count) {
    std::vector<V> numbers(static_cast<std::size_t>(count));
    receive(std::span(reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(V)));
    return numbers;
  }

  void receive_rows(PlacedRows<T>& block) {
    block.count = std::min<Index>(block.capacity(), shape_.rows - next_);
    block.places.resize(static_cast<std::size_t>(block.count));
    std::iota(block.places.begin(), block.places.end(), next_);
    std::span bytes(reinterpret_cast<char*>(block.rows.data()),
                    static_cast<std::size_t>(block.count * shape_.columns) * sizeof(T));
    while (!bytes.empty()) {
      if (left_in_piece_ == 0) next_piece(Kind::kRows);
      const std::size_t count = std::min<std::size_t>(bytes.size(), left_in_piece_);
      receive(bytes.first(count));
      bytes = bytes.subspan(count);
    }
    next_ += block.count;
  }

  void next_piece(Kind expected) {
    Piece piece;
    left_in_piece_ = sizeof piece;
    receive(std::span(reinterpret_cast<char*>(&piece), sizeof piece));
    left_in_piece_ = piece.bytes;
    if (piece.kind == expected) return;
    std::string error(piece.bytes, '\0');
    receive(error);
    throw FileError(error);
  }

  void receive(std::span<char> bytes) {
    if (worker_->read_fully(bytes) < bytes.size()) fail_by_death();
    left_in_piece_ -= bytes.size();
  }

  [[noreturn]] void fail_by_death() {
    const std::string death = worker_->death();
    const std::string place = shape_.rows > 0 ? "row " + std::to_string(next_) + ": " : "";
    if (death == "crashed") {
      throw FileError(place +
                      "the HDF5 library crashed: the file is damaged here or in the rows that follow");
    }
    throw FileError(place + "the process that reads the file " + (death.empty() ? "ended early" : death));
  }

  Source source_;
  std::unique_ptr<WorkerProcess> worker_;
  Shape shape_;
  std::vector<std::string> names_;
  std::int64_t next_ = 0;  // number of the next row
  std::uint64_t left_in_piece_ = 0;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_hdf5(const std::string& path, const std::string& dataset,
                                        bool allow_external) {
  return std::make_unique<Hdf5Reader<T>>(Source{path, dataset, allow_external});
}

template std::unique_ptr<RowReader<float>> open_hdf5(const std::string&, const std::string&, bool);
template std::unique_ptr<RowReader<double>> open_hdf5(const std::string&, const std::string&, bool);

}  // namespace roipca::cli

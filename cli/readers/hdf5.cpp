// Damaged files can crash the HDF5 library at any row. So a child process reads the file and sends the rows.
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
#include "readers/worker_process.hpp"
#include "roipca/errors.hpp"

namespace roipca::cli {
namespace {

// What the child sends: a shape, then rows, each piece after its kind and size; or an error and nothing more.
enum class Kind : std::uint32_t { kShape, kRows, kError };

struct Piece {
  Kind kind = Kind::kError;
  std::uint64_t bytes = 0;
};

struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
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

// Rows to hold at once in the child, in bytes: large chunks take much less time if they are read whole.
std::uint64_t most_bytes_at_once() {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 28U;
  constexpr std::uint64_t kPartOfLimit = 4;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMost;
  return std::min<std::uint64_t>(kMost, limit.rlim_cur / kPartOfLimit);
}

template <typename T>
void send_rows(WorkerProcess::Output& output, Hdf5Dataset<T> dataset) {
  const Shape shape = {static_cast<std::int64_t>(dataset.rows()),
                       static_cast<std::int64_t>(dataset.columns())};
  send(output, Kind::kShape, bytes_of_value(shape));
  const std::uint64_t at_once = dataset.rows_at_once(most_bytes_at_once());
  std::vector<T> numbers(at_once * dataset.columns());
  for (std::uint64_t row = 0; row < dataset.rows(); row += at_once) {
    const std::uint64_t count = std::min(at_once, dataset.rows() - row);
    dataset.read(row, count, numbers.data());
    const auto bytes = count * dataset.columns() * sizeof(T);
    send(output, Kind::kRows, std::span(reinterpret_cast<const char*>(numbers.data()), bytes));
  }
}

template <typename T>
void work(WorkerProcess::Output& output, const std::string& path, const std::string& dataset,
          bool allow_external) {
  std::string error;
  try {
    send_rows(output, Hdf5Dataset<T>(path, dataset, allow_external));
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
  Hdf5Reader(const std::string& path, const std::string& dataset, bool allow_external) {
    std::unique_lock lock(hdf5_mutex());  // so that no other thread is in the library when the child begins
    worker_ = std::make_unique<WorkerProcess>([&](WorkerProcess::Output& output) {
      lock.unlock();
      work<T>(output, path, dataset, allow_external);
    });
    lock.unlock();
    next_piece(Kind::kShape);
    receive(std::span(reinterpret_cast<char*>(&shape_), sizeof shape_));
  }

  Index columns() const override { return shape_.columns; }
  std::optional<std::int64_t> rows() const override { return shape_.rows; }

  void read(PlacedRows<T>& block) override {
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
    block.fraction = static_cast<double>(next_) / static_cast<double>(shape_.rows);
  }

 private:
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

  std::unique_ptr<WorkerProcess> worker_;
  Shape shape_;
  std::int64_t next_ = 0;  // row
  std::uint64_t left_in_piece_ = 0;
};

}  // namespace

template <typename T>
std::unique_ptr<RowReader<T>> open_hdf5(const std::string& path, const std::string& dataset,
                                        bool allow_external) {
  return std::make_unique<Hdf5Reader<T>>(path, dataset, allow_external);
}

template std::unique_ptr<RowReader<float>> open_hdf5(const std::string&, const std::string&, bool);
template std::unique_ptr<RowReader<double>> open_hdf5(const std::string&, const std::string&, bool);

}  // namespace roipca::cli

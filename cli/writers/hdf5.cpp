#include <algorithm>
#include <array>

#include "hdf5_handle.hpp"
#include "writers/formats.hpp"
#include "writers/output_file.hpp"

namespace roipca::cli {
namespace {

template <typename T>
class Hdf5Writer : public RowWriter<T> {
 public:
  Hdf5Writer(const std::string& path, Index columns, bool has_ids)
      : output_(path), columns_(static_cast<hsize_t>(columns)) {
    constexpr hsize_t kChunkNumbers = 1U << 16U;
    const std::scoped_lock lock(hdf5_mutex());
    silence_hdf5();
    naming([&] {
      file_ = Hdf5Handle(H5Fcreate(output_.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                         H5Fclose, "create the file");
      const std::array<hsize_t, 2> size = {0, columns_};
      const std::array<hsize_t, 2> most = {H5S_UNLIMITED, columns_};
      const std::array<hsize_t, 2> chunk = {std::max<hsize_t>(1, kChunkNumbers / columns_), columns_};
      const Hdf5Handle space(H5Screate_simple(2, size.data(), most.data()), H5Sclose, "describe the rows");
      const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "describe the chunks");
      H5Pset_chunk(layout.id(), 2, chunk.data());
      dataset_ = Hdf5Handle(
          H5Dcreate2(file_.id(), "data", hdf5_type<T>(), space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT),
          H5Dclose, "create the dataset");
      if (has_ids) create_ids();
    });
  }
  ~Hdf5Writer() override {
    const std::scoped_lock lock(hdf5_mutex());
    dataset_.reset();
    ids_.reset();
    text_.reset();
    file_.reset();
  }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void write(const Rows<T>& rows, std::span<const std::string> ids) override {
    OwnedRows<T> packed(rows.rows(), rows.cols());
    for (Index i = 0; i < rows.rows(); ++i) std::ranges::copy(rows.row(i), packed.row(i).begin());
    const std::scoped_lock lock(hdf5_mutex());
    const std::array<hsize_t, 2> start = {rows_, 0};
    const std::array<hsize_t, 2> count = {static_cast<hsize_t>(rows.rows()), columns_};
    rows_ += count[0];
    const std::array<hsize_t, 2> size = {rows_, columns_};
    naming([&] {
      const bool grown = H5Dset_extent(dataset_.id(), size.data()) >= 0;
      const Hdf5Handle space(H5Dget_space(dataset_.id()), H5Sclose, "describe the rows");
      const Hdf5Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose, "describe memory");
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      if (!grown ||
          H5Dwrite(dataset_.id(), hdf5_type<T>(), memory.id(), space.id(), H5P_DEFAULT, packed.data()) < 0) {
        throw FileError("HDF5 cannot write");
      }
      if (!ids.empty()) write_ids(ids, start[0]);
    });
  }

  void complete() override {
    {
      const std::scoped_lock lock(hdf5_mutex());
      const bool flushed = H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0;
      const bool closed = dataset_.reset() && ids_.reset() && text_.reset() && file_.reset();
      if (!flushed || !closed) output_.fail("HDF5 cannot write");
    }
    output_.sync();
  }
  void publish() override { output_.publish(); }

 private:
  void create_ids() {
    constexpr hsize_t kChunk = 1024;
    constexpr hsize_t kNone = 0;
    constexpr hsize_t kMost = H5S_UNLIMITED;
    text_ = Hdf5Handle(H5Tcopy(H5T_C_S1), H5Tclose, "describe text");
    H5Tset_size(text_.id(), H5T_VARIABLE);
    H5Tset_cset(text_.id(), H5T_CSET_UTF8);
    const Hdf5Handle space(H5Screate_simple(1, &kNone, &kMost), H5Sclose, "describe the ids");
    const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "describe the chunks");
    H5Pset_chunk(layout.id(), 1, &kChunk);
    ids_ = Hdf5Handle(
        H5Dcreate2(file_.id(), "id", text_.id(), space.id(), H5P_DEFAULT, layout.id(), H5P_DEFAULT), H5Dclose,
        "create the ids");
  }

  void write_ids(std::span<const std::string> ids, hsize_t first) {
    std::vector<const char*> texts;
    for (const std::string& id : ids) texts.push_back(id.c_str());
    const hsize_t count = texts.size();
    const bool grown = H5Dset_extent(ids_.id(), &rows_) >= 0;
    const Hdf5Handle space(H5Dget_space(ids_.id()), H5Sclose, "describe the ids");
    const Hdf5Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "describe memory");
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &first, nullptr, &count, nullptr);
    if (!grown || H5Dwrite(ids_.id(), text_.id(), memory.id(), space.id(), H5P_DEFAULT, texts.data()) < 0) {
      throw FileError("HDF5 cannot write the ids");
    }
  }

  template <typename Action>
  void naming(Action action) const {
    try {
      action();
    } catch (const FileError& error) {
      output_.fail(error.what());
    }
  }

  OutputFile output_;
  Hdf5Handle file_;
  Hdf5Handle dataset_;
  Hdf5Handle ids_;   // dataset of ids, if rows have them
  Hdf5Handle text_;  // type of an id
  hsize_t columns_;
  hsize_t rows_ = 0;
};

}  // namespace

template <typename T>
std::unique_ptr<RowWriter<T>> hdf5_writer(const std::string& path, Index columns, bool has_ids) {
  return std::make_unique<Hdf5Writer<T>>(path, columns, has_ids);
}

template std::unique_ptr<RowWriter<float>> hdf5_writer(const std::string&, Index, bool);
template std::unique_ptr<RowWriter<double>> hdf5_writer(const std::string&, Index, bool);

}  // namespace roipca::cli

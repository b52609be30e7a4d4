/// The whole state of an object as bytes, and back (docs/format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "roipca/types.hpp"

namespace roipca::state {

/// Where the members of an object go, one after the other, or where they come from. A class lists its state
/// once, for both ways:
///
///     void visit_state(state::Archive& archive) { archive(values_, trace_); }
///
/// State is what the next row or the next reading may depend on. What the constructor knows and what is
/// scratch are left out: an object is made first, as it was the first time, and its state is set then. So
/// arrays have their sizes already. Members are changed only where they come from the archive.
class Archive {
 public:
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Numbers, enumerators, optional ones, Eigen's arrays and parts of them, and whatever has a visit_state.
  template <typename... Parts>
  void operator()(Parts&&... parts) {
    (visit(parts), ...);
  }

  /// A number of things that there is room for `most` of. For what decides how much memory is used.
  void count(Index& number, Index most);

 protected:
  Archive() = default;
  ~Archive() = default;

 private:
  virtual void transfer(std::span<std::byte> bytes) = 0;

  template <typename Part>
  void visit(Part& part) {
    if constexpr (std::is_same_v<Part, bool>) {
      visit_flag(part);
    } else if constexpr (std::is_arithmetic_v<Part> || std::is_enum_v<Part>) {
      transfer(std::as_writable_bytes(std::span(&part, 1)));
    } else if constexpr (std::is_base_of_v<Eigen::DenseBase<Part>, Part>) {
      visit_array(part);
    } else {
      part.visit_state(*this);
    }
  }

  template <typename Number>
  void visit(std::optional<Number>& number) {
    bool is_there = number.has_value();
    visit_flag(is_there);
    if (is_there && !number) number.emplace();
    if (!is_there && number) number.reset();
    if (number) visit(*number);
  }

  template <typename Array>
  void visit_array(Array& array) {
    static_assert(Array::InnerStrideAtCompileTime == 1);
    expect_size(array.size());
    for (Index i = 0; i < array.outerSize(); ++i) {
      auto* const numbers = array.data() + i * array.outerStride();
      transfer(std::as_writable_bytes(std::span(numbers, static_cast<std::size_t>(array.innerSize()))));
    }
  }

  void visit_flag(bool& flag);
  void expect_size(Index size);
};

using Visit = std::function<void(Archive&)>;

/// What `visit` shows to an archive, behind a header with format, length and checksum.
std::vector<std::byte> pack(const Visit& visit);

/// Sets what `visit` shows to what `pack` found there. Throws std::invalid_argument that says what is wrong
/// with the bytes: before anything is set where they are not what `pack` made, and in the middle of it where
/// `visit` does not ask for what they hold.
void unpack(std::span<const std::byte> bytes, const Visit& visit);

}  // namespace roipca::state

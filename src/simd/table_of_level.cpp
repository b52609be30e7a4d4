// The loops of table.hpp for one level: compiled once per level, with ROIPCA_LEVEL defined.
#include "simd/centring.hpp"
#include "simd/low_rank.hpp"
#include "simd/outer.hpp"
#include "simd/products.hpp"
#include "simd/rounded.hpp"
#include "simd/sparse.hpp"
#include "simd/table.hpp"

namespace roipca::simd::ROIPCA_LEVEL {
namespace {

template <typename T>
constexpr Table<T> make_table() {
  return {dots<T>,        gram<T>,        gram_and_dots<T>, rotate<T>,
          add_rows<T>,    add_outer<T>,   centre<T>,        scale_and_square<T>,
          collect<T>,     add_squares<T>, any_beyond<T>,    add_low_rank<T>,
          sparse_dots<T>, sparse_add<T>,  sparse_dot<T>,    sparse_gram<T>};
}

}  // namespace

extern const Tables tables;
const Tables tables = {make_table<float>(), make_table<double>(), {round_rows, add_rounded}};

}  // namespace roipca::simd::ROIPCA_LEVEL

// Ends a source file of one instruction set: see implementation.hpp.
namespace roipca::kernels::ROIPCA_KERNEL_NAMESPACE {
namespace {

template <typename T>
constexpr Table<T> make_table() {
  return {dots<T>,     gram<T>,        gram_and_dots<T>, rotate<T>,
          add_rows<T>, add_outer<T>,   centre<T>,        scale_and_square<T>,
          collect<T>,  add_squares<T>, any_beyond<T>,    add_low_rank<T>};
}

}  // namespace

extern const Kernels kernels;
const Kernels kernels = {ROIPCA_KERNEL_NAME, make_table<float>(), make_table<double>(),
                         solve_eigen,        leading_work,        advance_leading};

}  // namespace roipca::kernels::ROIPCA_KERNEL_NAMESPACE

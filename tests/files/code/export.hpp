#include <string>

#define LIB_API __attribute__((visibility("default")))

namespace lib {

LIB_BEGIN_EXPORT

/// Text that grows.
class LIB_API Buffer : public Base {
 public:
  LIB_CONSTEXPR Buffer(int size) : size_(size) {}
  LIB_CONSTEXPR ~Buffer() {}
  LIB_NODISCARD std::string text() const { return std::string(size_, ' '); }
  friend LIB_CONSTEXPR auto longer(const Buffer& a, const Buffer& b) -> bool { return a.size_ > b.size_; }

 private:
  LIB_NO_UNIQUE_ADDRESS Allocator alloc_;
  int size_;
};

LIB_EXPORT
template <typename T>
struct IsBuffer {};

template <typename T>
struct IsBuffer<Wrapper<T,
                        void_t<decltype(std::declval<T>().find(
                            typename T::value_type()))>>> {
  bool value() { return true; }
};

LIB_END_EXPORT

}  // namespace lib

LIB_API int run(lib::Buffer& buffer) {
  return buffer.text().size();
}

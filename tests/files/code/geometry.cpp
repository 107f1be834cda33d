#include "geometry.hpp"
#include <vector>

namespace geometry {

/// Area of a circle with this radius.
double circle_area(double radius) {
    return 3.14159 * radius * radius;
}

Circle::Circle(double radius) : Shape("circle"), radius_(radius) {}

double Circle::area() const {
    return circle_area(radius_);
}

Shape::~Shape() = default;

template <typename T>
T largest(const std::vector<T>& items) {
    T best = items.front();
    for (const auto& item : items) {
        if (best < item) best = item;
    }
    return best;
}

enum class Unit { Meter, Foot };

using Areas = std::vector<double>;

static Areas areas_of(const std::vector<Circle*>& circles) {
    Areas areas;
    for (auto* circle : circles) {
        areas.push_back(circle->area());
    }
    auto first = new Circle(1.0);
    areas.push_back(first->area());
    delete first;
    return areas;
}

}  // namespace geometry

int main() {
    geometry::Circle circle(2.0);
    auto print = [](double value) { geometry::report(value); };
    print(circle.area());
    return geometry::largest<int>({1, 2}) > 1 ? 0 : 1;
}

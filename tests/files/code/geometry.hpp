#pragma once
#include <string>

namespace geometry {

class Shape {
public:
    explicit Shape(std::string name) : name_(std::move(name)) {}
    virtual ~Shape();
    virtual double area() const = 0;

    /** Name with the area behind it. */
    std::string label() const { return name_ + std::to_string(area()); }

private:
    std::string name_;
};

struct Circle : public Shape {
    explicit Circle(double radius);
    double area() const override;
    bool operator==(const Circle& other) const { return radius_ == other.radius_; }

private:
    double radius_;
};

inline void report(double value) {}

}  // namespace geometry

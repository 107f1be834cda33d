package billing

import "fmt"

// Invoice is what a customer has to pay.
type Invoice struct {
	Customer string
	Cents    int
}

// Render writes the invoice as text.
func (i Invoice) Render() string {
	return fmt.Sprintf("%s owes %d", i.Customer, withTax(i.Cents))
}

// withTax adds the value added tax.
func withTax(cents int) int {
	return cents * 119 / 100
}

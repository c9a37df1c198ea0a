package autorule_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/autorule"
)

func TestConverted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ figure, times, want string }{
		{"cost", "", "5"},
		{"epc", "", "5"},
		{"profit", "clicks", "5"},
		{"cost", "payout", "10"},
		{"revenue", "cost", "10"},
		{"clicks", "", "10"},
		{"roi", "", "10"},
		{"conversions", "cost", "20"},
		{"clicks", "conversions", "10"},
	} {
		in := autorule.Comparison{Figure: c.figure, Operator: ">", Value: models.NewMoney(decimal.NewFromInt(10)), Times: c.times}
		out := in.Converted(decimal.New(5, -1)) // a unit of the old currency is worth 0.5 units of the new one
		if out.Value.String() != c.want || out.Figure != c.figure || out.Times != c.times {
			t.Errorf("%+v is converted to %+v, want the value %s", in, out, c.want)
		}
		if in.IsAmount() != (c.want != "10") || (autorule.Comparison{Figure: c.figure, Times: c.times}).IsAmount() {
			t.Errorf("IsAmount of %+v is %t, want true only if the rate changes the value; for the value 0 it must be false", in, in.IsAmount())
		}
	}
}

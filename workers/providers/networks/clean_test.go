package networks

import "testing"

// TestClean checks that no text of an order keeps bytes that PostgreSQL cannot store.
func TestClean(t *testing.T) {
	t.Parallel()
	s := &session{}
	bad := " a\x00b\xff "
	o := s.clean(Order{
		Click: bad, ID: bad, Goal: bad, Ref: bad, GoalRef: bad, Word: bad, Status: bad, Payout: bad, Currency: bad, Sale: bad, SaleCurrency: bad,
		At: s.when(text(bad)),
	})
	want := Order{
		Click: "ab", ID: "ab", Goal: "ab", Ref: "ab", GoalRef: "ab", Word: "ab", Status: "ab", Payout: "ab", Currency: "ab", Sale: "ab", SaleCurrency: "ab",
		At: Moment{Unread: "ab"},
	}
	if o != want {
		t.Errorf("%+v", o)
	}
}

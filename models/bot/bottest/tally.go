package bottest

import "slices"

// Tally counts a detector's right and wrong judgements.
type Tally struct {
	Found, Missed int            // requests from programs: called bots by the detector, or not
	Wrong, Spared int            // requests from people: called bots by the detector, or not
	Kinds         []Kind         // kinds in the order in which they occur
	kinds         map[string]int // index in Kinds by name
}

// Kind is the tally of one kind of sender.
type Kind struct {
	Name         string
	Bot          bool
	Called, Sent int // number of requests that were called bots, and of all requests
}

// Share returns the share of the kind's requests that were called bots.
func (k Kind) Share() float64 { return float64(k.Called) / float64(k.Sent) }

// Judge applies a detector to every request and returns the tally.
func Judge(list []Request, isBot func(Request) bool) Tally {
	t := Tally{kinds: map[string]int{}}
	for _, r := range list {
		t.add(r, isBot(r))
	}
	return t
}

func (t *Tally) add(r Request, called bool) {
	place, known := t.kinds[r.Kind]
	if !known {
		place = len(t.Kinds)
		t.kinds[r.Kind] = place
		t.Kinds = append(t.Kinds, Kind{Name: r.Kind, Bot: r.Bot})
	}
	k := &t.Kinds[place]
	k.Sent++
	if called {
		k.Called++
	}
	switch {
	case r.Bot && called:
		t.Found++
	case r.Bot:
		t.Missed++
	case called:
		t.Wrong++
	default:
		t.Spared++
	}
}

// Kind returns the tally of a kind by its name, or zero.
func (t Tally) Kind(name string) Kind {
	if i := slices.IndexFunc(t.Kinds, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return t.Kinds[i]
	}
	return Kind{}
}

// Precision returns the share of requests from programs among the requests that were called bots.
func (t Tally) Precision() float64 { return float64(t.Found) / float64(max(1, t.Found+t.Wrong)) }

// Recall returns the share of requests that were called bots among the requests from programs.
func (t Tally) Recall() float64 { return float64(t.Found) / float64(max(1, t.Found+t.Missed)) }

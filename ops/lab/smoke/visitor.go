package smoke

import (
	"math/rand/v2"

	"switchyard/ops/visitors"
)

// visitor is one person or one program that sends clicks.
type visitor struct {
	visitors.Agent
	visitors.Address
	Language string // primary subtag of header
	header   string // Accept-Language
	referrer string
}

// key tells visitors apart as the service does by default.
func (v visitor) key() string { return v.IP + " " + v.UserAgent }

var languages = [][2]string{
	{"en-US,en;q=0.9", "en"},
	{"de-DE,de;q=0.9,en;q=0.8", "de"},
	{"es-MX,es;q=0.9", "es"},
	{"pt-BR", "pt"},
	{"fr", "fr"},
	{"ja,en-US;q=0.7", "ja"},
}

var referrers = []string{
	"", "", "https://www.google.com/", "https://news.example.com/story?id=7", "https://m.facebook.com/",
	"http://blog.example.org/post",
}

// newVisitor creates visitor i. Every twelfth visitor is a bot.
func newVisitor(set visitors.Set, i int, r *rand.Rand) visitor {
	language := languages[r.IntN(len(languages))]
	v := visitor{
		Language: language[1], header: language[0], referrer: referrers[r.IntN(len(referrers))],
		Address: set.Addresses[r.IntN(len(set.Addresses))],
	}
	if i%12 == 5 {
		v.Agent = set.Bots[i/12%len(set.Bots)]
	} else {
		v.Agent = set.People[i%len(set.People)]
	}
	return v
}

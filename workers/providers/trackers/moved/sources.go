package moved

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/subslot"
	"switchyard/models/trackerimport"
)

// Param is a parameter of a source's links.
type Param struct {
	Sub   int // the number of the sub-parameter; 0: none
	Name  string
	Macro string // of the source
	Label string
}

// Params sets the parameters of a source.
func (b *Book) Params(it *Item, list []Param) {
	macros, subs, last := Members{}, []any{}, 0
	taken := map[string]bool{}
	for _, p := range list {
		p.Name, p.Macro = strings.TrimSpace(p.Name), strings.TrimSpace(p.Macro)
		lower := strings.ToLower(p.Name)
		switch {
		case p.Name == "":
			continue
		case taken[lower]:
			b.Change(it, fmt.Sprintf("The parameter %s appeared twice. The second was left out.", models.Shortened(p.Name, 60)))
			continue
		}
		taken[lower] = true
		macros[p.Name] = p.Macro
		switch meant := subslot.Meant(p.Name); {
		case p.Sub > models.Subs:
			last = max(last, p.Sub)
			continue
		case p.Sub == 0:
			continue
		case meant > 0 && meant != p.Sub:
			b.Change(it, fmt.Sprintf("The parameter %s filled sub%d; here it fills sub%d, as its name says.", p.Name, p.Sub, meant))
			continue
		}
		sub := Members{"sub": json.Number(strconv.Itoa(p.Sub)), "param": p.Name}
		if p.Label != "" && !strings.EqualFold(p.Label, p.Name) {
			sub["name"] = models.Cut(p.Label, 100)
		}
		subs = append(subs, sub)
	}
	if last > 0 {
		b.Change(it, trackerimport.MoreParams(last))
	}
	if len(macros) > 0 {
		it.M["token_macros"] = macros
	}
	if len(subs) > 0 {
		it.M["subs"] = subs
	}
}

// External sets the parameter that carries the source's own click id.
func (b *Book) External(it *Item, name, macro string) {
	if name != "" {
		it.M["external_id_param"], it.M["external_id_macro"] = name, macro
	}
}

// Cost sets the parameter that carries the cost of a click.
func (b *Book) Cost(it *Item, name, macro string) {
	if name != "" {
		it.M["cost_param"], it.M["cost_macro"] = name, macro
	}
}

// SubAttribute returns the attribute with the value of sub-parameter n of a source.
func SubAttribute(n int, params []Param) string {
	for _, p := range params {
		if p.Sub == n && p.Name != "" {
			if meant := subslot.Meant(p.Name); meant > 0 {
				n = meant
			} else if n > models.Subs {
				return "param." + p.Name
			}
			break
		}
	}
	if n > models.Subs {
		return "param.sub" + strconv.Itoa(n)
	}
	return "sub" + strconv.Itoa(n)
}

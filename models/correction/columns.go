package correction

// Column is a column that a file may have. It lets a client show how a header is read.
type Column struct {
	Name     string   `json:"name"` // the documented name
	Required bool     `json:"required"`
	Names    []string `json:"names"` // names that are accepted in a header: only letters and digits, in lower case
}

// ConversionColumns returns the columns of a file of conversions.
func ConversionColumns() []Column { return documented(conversionColumns) }

// CostColumns returns the columns of a file of spend.
func CostColumns() []Column { return documented(costColumns) }

func documented(list []column) []Column {
	out := make([]Column, 0, len(list))
	for _, c := range list {
		out = append(out, Column{c.name, c.required, c.names})
	}
	return out
}

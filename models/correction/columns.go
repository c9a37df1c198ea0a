package correction

// Column is a column that a file may have, for those who show how a header is read.
type Column struct {
	Name     string   `json:"name"` // as documented
	Required bool     `json:"required"`
	Names    []string `json:"names"` // that it may have in a header: their letters and digits, in lower case
}

// ConversionColumns lists the columns of a file of conversions.
func ConversionColumns() []Column { return documented(conversionColumns) }

// CostColumns lists the columns of a file of spend.
func CostColumns() []Column { return documented(costColumns) }

func documented(list []column) []Column {
	out := make([]Column, 0, len(list))
	for _, c := range list {
		out = append(out, Column{c.name, c.required, c.names})
	}
	return out
}

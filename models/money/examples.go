package money

// Example is a text and the result of reading it, for the documentation.
type Example struct {
	Text     string
	Currency string // the currency that applies if the text states no currency
	Result   string // the amount with its currency, or the reason why it is no amount or does not count as money
}

// Examples returns the results of reading some texts.
func Examples() []Example {
	list := []Example{
		{Text: "1,234.50", Currency: "USD"},
		{Text: "1.234,50 €", Currency: "USD"},
		{Text: "1 490,00 руб.", Currency: "USD"},
		{Text: "CHF 1’234.50", Currency: "EUR"},
		{Text: "Rs. 1,25,000", Currency: "INR"},
		{Text: "R$ 12,50", Currency: "USD"},
		{Text: "1.25e1", Currency: "USD"},
		{Text: "12.50-", Currency: "USD"},
		{Text: "($12.50)", Currency: "USD"},
		{Text: "$12.50", Currency: "CAD"},
		{Text: "$12.50", Currency: "EUR"},
		{Text: "12.50 kr", Currency: "SEK"},
		{Text: "12.50 kr", Currency: "USD"},
		{Text: "12.500", Currency: "USD"},
		{Text: "12.500", Currency: "KWD"},
		{Text: "12.500", Currency: "VND"},
		{Text: "12.500", Currency: "EUR"},
		{Text: "12,500", Currency: "USD"},
		{Text: "4.200,00 kr.", Currency: "DKK"},
		{Text: "١٬٢٣٤٫٥٠", Currency: "EGP"},
		{Text: "−12.50", Currency: "USD"},
		{Text: "10-20", Currency: "USD"},
		{Text: "1.5K", Currency: "USD"},
		{Text: "2 leads", Currency: "USD"},
	}
	for i := range list {
		e := &list[i]
		amount, err := Read(e.Text, e.Currency)
		switch {
		case err != nil:
			e.Result = "no amount: it " + err.Error()
		case amount.Doubt != nil:
			e.Result = amount.Value.String() + ", but not counted as money: it " + amount.Doubt.Error()
		case amount.Currency != "":
			e.Result = amount.Value.String() + " " + amount.Currency
		default:
			e.Result = amount.Value.String() + " " + e.Currency
		}
	}
	return list
}

package token

// Unknown returns the first placeholder that is not a token, with its braces, or "". It skips the scheme and the host of the address.
func Unknown(url string) string {
	_, end := authority(url)
	for rest := url[end:]; rest != ""; {
		size := 1
		if rest[0] == '{' {
			var inner string
			if size, inner = brace(rest); inner != "" {
				if _, ok := parse(inner); !ok {
					return rest[:size]
				}
			}
		}
		rest = rest[size:]
	}
	return ""
}

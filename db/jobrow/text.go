package jobrow

import "strings"

// cleaned drops NUL, which jsonb cannot hold, and broken UTF-8.
func cleaned(c Cause) Cause {
	for _, s := range []*string{&c.Code, &c.Message, &c.Detail} {
		*s = strings.ReplaceAll(strings.ToValidUTF8(*s, ""), "\x00", "")
	}
	return c
}

package token

type byteSet [256]bool

func setOf(chars string) (s byteSet) {
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return s
}

const alnum = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

var (
	unreserved = setOf(alnum + "-._~")                        // bytes that an ordinary value keeps
	inURL      = setOf(alnum + "-._~:/?#[]@!$&'()*+,;=%")     // bytes that a raw value keeps
	inTemplate = setOf(alnum + "-._~:/?#[]@!$&'()*+,;=%{}|^") // bytes that the customer's own text keeps, including other parties' macros
)

const hex = "0123456789ABCDEF"

// encode percent-encodes in place each byte of b that is not in the set "allowed". The bytes before b[mark] stay unchanged.
func encode(b []byte, mark int, allowed *byteSet) []byte {
	n := 0
	for _, c := range b[mark:] {
		if !allowed[c] {
			n++
		}
	}
	if n == 0 {
		return b
	}
	from := len(b) - 1
	for range n {
		b = append(b, 0, 0)
	}
	for to := len(b) - 1; to > from; from-- {
		c := b[from]
		if allowed[c] {
			b[to] = c
			to--
			continue
		}
		b[to-2], b[to-1], b[to] = '%', hex[c>>4], hex[c&15]
		to -= 3
	}
	return b
}

// AppendEscaped appends a value with the percent-encoding of an ordinary token value.
func AppendEscaped(dst []byte, value string) []byte {
	mark := len(dst)
	return encode(append(dst, value...), mark, &unreserved)
}

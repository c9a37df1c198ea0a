package ads

import "switchyard/models/matchkey"

// noPage is the reason why a platform that requires the address of the page cannot take a conversion.
const noPage = "the address of its landing page is not known"

// fill adds the non-empty texts to a message.
func fill(message map[string]any, texts map[string]string) {
	for name, text := range texts {
		if text != "" {
			message[name] = text
		}
	}
}

// filled returns the entries that have a text.
func filled(from map[string]string) map[string]any {
	out := map[string]any{}
	fill(out, from)
	return out
}

// addKeys adds the hashes that are known. Meta, Snapchat and Pinterest share these short names.
func addKeys(user map[string]any, k matchkey.Keys) {
	for name, hash := range filled(map[string]string{
		"em": k.Email, "ph": k.Phone, "fn": k.FirstName, "ln": k.LastName, "ct": k.City, "st": k.Region, "zp": k.Zip, "country": k.Country,
	}) {
		user[name] = []any{hash}
	}
}

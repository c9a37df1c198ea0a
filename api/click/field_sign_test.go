package click

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// signers sign a notification as its platform does.
var signers = map[string]func(e *fieldEntry, h http.Header, body []byte) []byte{
	"shopify": func(e *fieldEntry, h http.Header, body []byte) []byte {
		h.Set("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(e.hmac(body)))
		return body
	},
	"woocommerce": func(e *fieldEntry, h http.Header, body []byte) []byte {
		h.Set("X-Wc-Webhook-Signature", base64.StdEncoding.EncodeToString(e.hmac(body)))
		return body
	},
	"stripe": func(e *fieldEntry, h http.Header, body []byte) []byte {
		at := time.Now().Add(-e.set.Age).Unix()
		signed := e.hmac(append(fmt.Appendf(nil, "%d.", at), body...))
		h.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%x", at, signed))
		return body
	},
	"clickbank": func(e *fieldEntry, _ http.Header, body []byte) []byte { return e.encrypt(body) },
	"digistore24": func(e *fieldEntry, _ http.Header, body []byte) []byte {
		var text strings.Builder
		for _, f := range formFields(body) {
			if f.value != "" {
				text.WriteString(f.name + "=" + f.value + e.set.Sign)
			}
		}
		sum := sha512.Sum512([]byte(text.String()))
		return append(body, "&sha_sign="+strings.ToUpper(hex.EncodeToString(sum[:]))...)
	},
	"jvzoo": func(e *fieldEntry, _ http.Header, body []byte) []byte {
		var text strings.Builder
		for _, f := range formFields(body) {
			text.WriteString(f.value + "|")
		}
		sum := sha1.Sum([]byte(text.String() + e.set.Sign))
		return append(body, "&cverify="+strings.ToUpper(hex.EncodeToString(sum[:])[:8])...)
	},
}

func (e *fieldEntry) hmac(text []byte) []byte {
	mac := hmac.New(sha256.New, []byte(e.set.Sign))
	mac.Write(text)
	return mac.Sum(nil)
}

// encrypt returns a notification of ClickBank: AES-256-CBC, with the first 32 characters of the hex SHA-1 of the secret as the key.
func (e *fieldEntry) encrypt(body []byte) []byte {
	sum := sha1.Sum([]byte(e.set.Sign))
	block, err := aes.NewCipher([]byte(hex.EncodeToString(sum[:])[:32]))
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	pad := aes.BlockSize - len(body)%aes.BlockSize
	text := append(bytes.Clone(body), bytes.Repeat([]byte{byte(pad)}, pad)...)
	iv := []byte("an-iv-of-16-byte")
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(text, text)
	sealed, err := json.Marshal(map[string][]byte{"notification": text, "iv": iv})
	if err != nil {
		panic(err) // cannot fail: the map holds only bytes
	}
	return sealed
}

type formField struct{ name, value string }

func formFields(body []byte) (list []formField) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		panic(err) // the tests sign only valid forms
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		list = append(list, formField{name, form.Get(name)})
	}
	return list
}

package dns

import (
	"net/http"
	"strings"
	"testing"
)

func TestSignAWS(t *testing.T) {
	t.Parallel()
	const address = "https://route53.amazonaws.com/2013-04-01/hostedzone/Z1/rrset?name=go.shop.com.&maxitems=100"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	signAWS(r, nil, "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20260102T030405Z")
	const want = "Signature=229ce10eba5c0415f3fdd4ef1c018b258b0ccd3da489715de529cfa19fe1ff16"
	if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

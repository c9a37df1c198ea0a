package click

import (
	"net/http"

	"switchyard/models"
)

// challengeWord and challengeSubpath are the parts of models.DomainChallengePath.
const (
	challengeWord    = ".well-known"
	challengeSubpath = "switchyard-domain"
)

// answerChallenge proves to a worker that requests to the host reach this install, also before the domain is verified.
func (h *Handler) answerChallenge(w http.ResponseWriter, r *http.Request) {
	nonce := r.URL.Query().Get("nonce")
	secret := h.routes.Current().SigningSecret()
	if !models.DomainNonce.MatchString(nonce) || secret == nil {
		notFound(w)
		return
	}
	w.Header()["Cache-Control"] = noStore
	writePage(w, http.StatusOK, asText, []byte(models.DomainProof(secret, models.BareHost(r.Host), nonce)))
}

package bench

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// Bare runs a gin server that redirects every tracking link to one fixed address: the least work that gin can do for a click. It
// serves until the context ends. certificate is a PEM file with a certificate and its key. With it, Bare serves by TLS.
func Bare(ctx context.Context, addr, certificate string) error {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/:alias", func(c *gin.Context) {
		c.Redirect(http.StatusFound, "https://offer.example/landing?cid=0123456789abcdefghijkl&c=US&os=Windows")
	})
	engine.GET("/readyz", func(c *gin.Context) { c.Status(http.StatusOK) })
	server := &http.Server{Addr: addr, Handler: engine, ReadHeaderTimeout: 10 * time.Second}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if certificate != "" {
		err = server.ServeTLS(l, certificate, certificate)
	} else {
		err = server.Serve(l)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

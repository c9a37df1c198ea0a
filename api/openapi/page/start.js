SwaggerUIBundle({
  // The document of this operation alone: the whole one takes a browser ten times as long to read.
  url: `${location.pathname.replace(/\/try$/, "")}.json`,
  dom_id: '#reference',
  docExpansion: 'full',
  defaultModelsExpandDepth: -1, // the operation shows its own
  validatorUrl: null, // the default asks another host
});

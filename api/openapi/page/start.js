SwaggerUIBundle({
  // Only the document of this operation: a browser takes ten times as long to read the whole document.
  url: `${location.pathname.replace(/\/try$/, "")}.json`,
  dom_id: '#reference',
  docExpansion: 'full',
  defaultModelsExpandDepth: -1, // the operation shows its own
  validatorUrl: null, // the default asks another host
});

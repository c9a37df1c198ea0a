SwaggerUIBundle({
  // Only the document of this operation: a browser takes ten times as long to read the whole document.
  url: `${location.pathname.replace(/\/try$/, "")}.json`,
  dom_id: '#reference',
  docExpansion: 'full',
  defaultModelsExpandDepth: -1, // no list of all models: the operation shows the models that it uses
  validatorUrl: null, // the default asks another host
});

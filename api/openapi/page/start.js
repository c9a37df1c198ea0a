SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none', // a group of operations is drawn when it is opened: all of them are 47,000 nodes
  filter: true,
  defaultModelsExpandDepth: -1, // each operation shows its own
  validatorUrl: null, // the default asks another host
});

SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: -1, // each operation shows its own
  validatorUrl: null, // the default asks another host
});

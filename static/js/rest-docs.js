"use strict";

const place = document.getElementById("swagger-ui");
const csrf = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);

SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  requestInterceptor: (request) => {
    if (csrf && request.method !== "GET") {
      request.headers["X-CSRFToken"] = decodeURIComponent(csrf[1]);
    }
    return request;
  },
});

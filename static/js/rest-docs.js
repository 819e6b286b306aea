"use strict";

const place = document.getElementById("swagger-ui");
const csrf = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);

// The page follows the theme that was chosen in the dashboard, else the system's.
const chosen = document.cookie.match(/(?:^|; )theme=(light|dark)/)?.[1];
const system = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", chosen ? chosen === "dark" : system.matches);
system.addEventListener("change", paint);
paint();

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

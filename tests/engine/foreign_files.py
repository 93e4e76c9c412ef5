# ruff: noqa: E501
"""Files of many kinds that lie beside blueprints and are none, by the name that such a file has."""

from __future__ import annotations

FOREIGN: dict[str, str] = {
    "k8s/deployment.yml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: web
          image: nginx:1.27
          args: ["--prompt", "none"]
""",
    "k8s/stream.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\n"
    "metadata: {name: b}\ndata:\n  prompt: Answer briefly.\n",
    "k8s/config-map-with-prompts.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: prompts}\ndata:\n"
    "  prompts.yml: |\n    - prompt: Hi\n      should:\n        - Greets\n",
    "compose.yml": "services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_PASSWORD: x\n"
    "  web:\n    build: .\n    depends_on: [db]\n",
    "docker-compose.override.yaml": "version: '3.9'\nservices:\n  app:\n    command: [python, -m, app]\n",
    "ansible/playbook.yml": """\
- name: Ask before deploying
  hosts: all
  vars_prompt:
    - name: version
      prompt: Which version?
      private: false
  tasks:
    - name: The site should be there
      ansible.builtin.file: {path: /srv/site, state: directory}
""",
    "ansible/tasks/main.yml": "- name: pause\n  ansible.builtin.pause:\n    prompt: Continue?\n- name: done\n  debug: {msg: x}\n",
    "ansible/inventory.yml": "all:\n  hosts:\n    one.example.org:\n  children:\n    web: {hosts: {two.example.org: null}}\n",
    ".github/workflows/ci.yml": """\
name: CI
on: {push: {branches: [main]}, pull_request: {}}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: A blueprint that is written here
        run: |
          cat > x.yml <<'END'
          - prompt: Hi
            should:
              - Greets
          END
""",
    ".github/dependabot.yml": "version: 2\nupdates:\n  - package-ecosystem: pip\n    directory: /\n    schedule: {interval: weekly}\n",
    ".github/ISSUE_TEMPLATE/bug.yml": """\
name: Bug
description: Something is wrong
title: "[Bug]: "
body:
  - type: textarea
    id: expected
    attributes:
      label: What should have happened?
      description: What did you expect?
    validations: {required: true}
""",
    ".github/labels.yml": "- name: bug\n  color: d73a4a\n  description: Something isn't working as expected\n",
    ".github/models/summary.prompt.yml": """\
name: Summariser
description: Sums up a text
model: openai/gpt-4o-mini
modelParameters: {temperature: 0.5}
messages:
  - role: system
    content: You sum up.
  - role: user
    content: "{{input}}"
testData:
  - input: A long text
    expected: A short one
evaluators:
  - name: short
    string: {contains: short}
""",
    ".gitlab-ci.yml": "stages: [test]\ntest:\n  stage: test\n  script:\n    - pytest\n  only: {refs: [merge_requests]}\n",
    ".circleci/config.yml": "version: 2.1\njobs:\n  build:\n    docker: [{image: cimg/python:3.11}]\n    steps: [checkout, run: make]\n",
    ".travis.yml": "language: python\npython: ['3.11']\nscript: pytest\n",
    "azure-pipelines.yml": "trigger: [main]\npool: {vmImage: ubuntu-latest}\nsteps:\n  - script: echo hi\n    displayName: Say\n",
    "bitbucket-pipelines.yml": "image: python:3.11\npipelines:\n  default:\n    - step: {name: Test, script: [pytest]}\n",
    ".pre-commit-config.yaml": "repos:\n  - repo: https://example.org/x\n    rev: v1\n    hooks:\n      - id: ruff\n        args: [--fix]\n",
    ".pre-commit-hooks.yaml": "- id: studio-check\n  name: check blueprints\n  entry: studio check\n  language: python\n"
    "  description: Finds what should not be there\n",
    "mkdocs.yml": "site_name: Docs\nnav:\n  - Home: index.md\n  - Prompts: prompts.md\ntheme: {name: material}\n",
    "openapi.yaml": """\
openapi: 3.1.0
info: {title: Chat, version: "1"}
paths:
  /chat:
    post:
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                prompt: {type: string}
                messages: {type: array, items: {type: object}}
""",
    "swagger.json": '{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": {}, "definitions": {"Prompt": {}}}',
    "chart/values.yaml": "replicaCount: 1\nimage: {repository: nginx, tag: ''}\nprompts:\n  enabled: true\n  default: Hi\n",
    "chart/templates/deployment.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "chart.fullname" . }}
  {{- with .Values.prompt }}
  annotations:
    prompt: {{ . | quote }}
  {{- end }}
""",
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\ndescription: What should be deployed\nversion: 0.1.0\n",
    "_data/authors.yml": "ada:\n  name: Ada\n  url: https://example.org\n  tags: [x]\n",
    "_data/navigation.yml": "- title: Home\n  url: /\n- title: Prompts\n  url: /prompts\n  points: 3\n",
    "_config.yml": "title: A site\ndescription: What it is about\nauthor: Ada\nplugins: [jekyll-feed]\nbaseurl: ''\n",
    "tsconfig.json": '{"compilerOptions": {"strict": true}, "include": ["src"]}',
    "package.json": '{"name": "x", "scripts": {"test": "jest"}, "dependencies": {"prompts": "^2.4.2"}, "prompts": {"a": 1}}',
    "package-lock.json": '{"name": "x", "lockfileVersion": 3, "packages": {"node_modules/prompts": {"version": "2.4.2"}}}',
    ".eslintrc.json": '{"root": true, "rules": {"no-alert": "error"}, "overrides": [{"files": ["*.ts"], "rules": {}}]}',
    "composer.json": '{"name": "a/b", "require": {"php": ">=8"}, "autoload": {"psr-4": {"A\\\\": "src/"}}}',
    "i18n/en.yml": "en:\n  prompt: What is your name?\n  messages:\n    welcome: Welcome\n  should: should\n",
    "i18n/flat.yml": "prompt: What is your name?\nmessages: Messages\nideal: ideal\nwelcome: Welcome\n",
    "i18n/de.json": '{"prompt": "Wie heißen Sie?", "should": "soll", "points": "Punkte"}',
    "promptfooconfig.yaml": """\
description: My eval
prompts:
  - "Translate: {{text}}"
  - file://prompt2.txt
providers: [openai:gpt-4o-mini]
tests:
  - vars: {text: Hello}
    assert:
      - type: contains
        value: Bonjour
""",
    "promptfoo-with-ids.yaml": "prompts:\n  - id: file://a.txt\n    label: a\n  - id: b\n    raw: 'Hi {{x}}'\nproviders: [openai:gpt-4o]\n"
    "defaultTest: {assert: [{type: llm-rubric, value: should be polite}]}\n",
    "promptfoo-tests.yaml": "- description: greets\n  vars: {name: Ada}\n  assert:\n    - {type: contains, value: Ada}\n",
    "evals/registry/evals/arithmetic.yaml": "arithmetic:\n  id: arithmetic.dev.v0\n  metrics: [accuracy]\narithmetic.dev.v0:\n"
    "  class: evals.elsuite.basic.match:Match\n  args: {samples_jsonl: arithmetic/samples.jsonl}\n",
    "evals/modelgraded/fact.yaml": "fact:\n  prompt: |-\n    You compare a submitted answer to an expert answer.\n"
    "  choice_strings: ABCDE\n  input_outputs: {input: completion}\n",
    "lm-eval/task.yaml": "task: mmlu\ndataset_path: cais/mmlu\ndoc_to_text: '{{question}}'\ndoc_to_target: answer\n"
    "metric_list:\n  - metric: acc\n    aggregation: mean\n",
    "deepeval/cases.json": '[{"input": "Hi", "actual_output": "Hello", "expected_output": "Hello", "context": null}]',
    "tags.yml": "- health\n- law\n- prompts that should be asked\n",
    "tags.json": '["health", "law"]',
    "objects.yml": "- id: one\n  title: First\n- id: two\n  title: Second, with points\n  points: 2\n",
    "objects.json": '[{"id": 1, "title": "First prompt"}, {"id": 2, "title": "Second"}]',
    "quiz.yml": "- question: What is due?\n  answer: rent\n  points: 3\n- question: When?\n  answer: Monday\n  points: 1\n",
    "renovate.json": '{"$schema": "https://docs.renovatebot.com/renovate-schema.json", "extends": ["config:recommended"]}',
    "CITATION.cff.yml": "cff-version: 1.2.0\nmessage: If you use this, please cite it\ntitle: T\nauthors:\n  - family-names: A\n",
    "abc123_2026-11-22T10-00-00-000Z_comparison.json": '{"configId": "x", "runLabel": "abc", "timestamp": "t", '
    '"config": {"prompts": [{"id": "a", "prompt": "x", "should": ["b"]}]}, "promptIds": ["a"], '
    '"allFinalAssistantResponses": {"a": {"ideal": "y"}}, "evaluationResults": {"llmCoverageScores": {}}}',
    "fixtures.json": '{"strategy": "seeded", "responses": {"a": {"default": "text", "byModel": {"openai:*": "t"}}}}',
    "fixtures.yml": "responses:\n  a:\n    default: [one prompt, two]\n",
    "samples.json": '{"input": [{"role": "user", "content": "Hi"}], "ideal": "Hello"}\n'
    '{"input": [{"role": "user", "content": "Bye"}], "ideal": "Bye"}\n',
    "chat-lines.json": '{"messages": [{"role": "user", "content": "Hi"}]}\n{"messages": [{"role": "user", "content": "x"}]}\n',
    "chat.json": '{"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0}',
    "transcripts.json": '[{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}]',
    "preferences.json": '[{"prompt": "Hi", "chosen": "Hello", "rejected": "Go"}]',
    "completions.yml": "- prompt: Hi\n  completion: Hello\n- prompt: Bye\n  completion: Bye\n",
    "dataset.json": '[{"id": "1", "prompt": "Hi"}, {"id": "2", "prompt": "Bye"}]',
    "schema.json": '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": '
    '{"prompts": {"type": "array"}, "prompt": {"type": "string"}, "should": {"type": "array"}}}',
    "notebook.json": '{"cells": [{"cell_type": "code", "source": ["prompt = 1"], "outputs": []}], "nbformat": 4}',
    "map.geojson.json": '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"points": 3}}]}',
    "elastic/query.json": '{"query": {"bool": {"should": [{"match": {"title": "x"}}], "minimum_should_match": 1}}}',
    "elastic/clause.json": '{"should": [{"match": {"title": "x"}}], "must_not": [], "minimum_should_match": 1}',
    "mcp/prompts.json": '{"prompts": [{"name": "sum", "description": "Sums up", "arguments": [{"name": "text"}]}]}',
    "app/prompts.yml": "version: 1\nprompts:\n  greet:\n    system: You greet.\n    prompt: 'Hi {name}'\n",
    "app/agents.yml": "agents:\n  - name: helper\n    prompt: You help.\n    tools: [search]\n",
    "app/template.yml": "system: You are brief.\nprompt: 'Sum up: {text}'\n",
    "langchain/prompt.yaml": "_type: prompt\ninput_variables: [x]\ntemplate: Tell me about {x}\n",
    "rasa/domain.yml": "version: '3.1'\nintents: [greet]\nresponses:\n  utter_greet:\n    - text: Hey! How are you?\n",
    "rasa/nlu.yml": "version: '3.1'\nnlu:\n  - intent: greet\n    examples: |\n      - hey\n      - hello\n",
    "inquirer.json": '[{"type": "input", "name": "name", "message": "Your name?", "prompt": "> "}]',
    "cookiecutter.json": '{"project_name": "x", "__prompts__": {"project_name": "What should it be called?"}}',
    "conda/environment.yml": "name: x\nchannels: [conda-forge]\ndependencies:\n  - python=3.11\n  - pip: [rich]\n",
    "cloudformation.yaml": "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  B:\n    Type: AWS::S3::Bucket\n    Properties: !Ref X\n",
    "prometheus/rules.yml": "groups:\n  - name: up\n    rules:\n      - alert: Down\n        expr: up == 0\n        annotations:\n"
    "          summary: It should be up\n",
    "grafana.json": '{"panels": [{"id": 1, "title": "Points", "type": "graph"}], "title": "Board", "tags": []}',
    "goss.yaml": "port:\n  tcp:22: {listening: true}\nservice:\n  sshd: {enabled: true, running: true}\n",
    "postman.json": '{"info": {"name": "API"}, "item": [{"name": "Ask", "request": {"method": "POST"}}]}',
    "vscode/settings.json": '// comments\n{"editor.tabSize": 2, "prompts": ["a"],}\n',
    "words.yml": "you should\nnever be a blueprint\n",
    "broken-compose.yml": "services:\n  web:\n    image: 'nginx\n    command: [a\n",
    "broken-i18n.yml": 'en:\n  prompt: "What\'s your "name"?"\n  messages: x\n',
    "own-eval.yml": "- prompt: What is 2+2?\n  expected: 4\n- prompt: What is 3+3?\n  expected: 6\n",
    "continue/config.yaml": "name: mine\nversion: 1.0.0\nmodels:\n  - {name: a, provider: openai, model: gpt-4o}\nprompts:\n  - name: check\n    description: Looks for slips\n    prompt: Check this file.\n",
    "great_expectations.json": '{"expectation_suite_name": "x", "expectations": [{"expectation_type": "expect_column_to_exist"}]}',
    "alexa.json": '{"interactionModel": {"prompts": [{"id": "Elicit.1", "variations": [{"value": "Which?"}]}]}}',
    "dbt/schema.yml": "version: 2\nmodels:\n  - name: orders\n    description: What should be there\n    columns:\n      - name: id\n        tests: [unique]\n",
    "harmful.yml": "- prompt: How do I do it?\n  category: harm\n- prompt: And this?\n  category: harm\n",
    "mt-bench.json": '[{"question_id": 1, "category": "math", "turns": ["What is the ideal prompt?"]}]',
    "home-assistant.yml": "- id: '1'\n  alias: Light\n  trigger: [{platform: sun}]\n  action: [{service: light.turn_on}]\n",
    "llm-template.yaml": "system: You are brief.\nprompt: 'Sum up: $input'\nmodel: gpt-4o\n",
    "litellm.yaml": "model_list:\n  - model_name: a\n    litellm_params: {model: openai/gpt-4o, messages: []}\n",
}

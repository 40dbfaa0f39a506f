"""Alert rules and dashboard name only metrics that the site has."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from tests.operations.test_metrics import metrics_text, token  # noqa: F401 - a fixture
from tests.source_files import ROOT

MONITORING = ROOT / "deploy/monitoring"
RULES = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"][0]["rules"]
PANELS = json.loads((MONITORING / "dashboard.json").read_text())["panels"]
SUBJECTS = {
    *("NoBackup", "JobLate", "JobFailed", "DatabaseAway", "Errors", "MailsWait"),
    *("ConfirmationMailsWait", "DiskFull", "PoolFull", "CertificateEnds"),
    *("ServerDown", "NoServer", "SiteUnreachable", "NotProbed"),
}


def test_each_subject_has_an_alert_that_says_what_is_wrong():
    assert {rule["alert"] for rule in RULES} == SUBJECTS
    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "ticket"), rule
        assert rule["annotations"]["summary"].endswith("."), rule
        assert f'alertname="{rule["alert"]}"' in (MONITORING / "alerts.test.yaml").read_text()
    if promtool := shutil.which("promtool"):
        subprocess.run([promtool, "test", "rules", MONITORING / "alerts.test.yaml"], check=True)


@pytest.mark.django_db
@pytest.mark.usefixtures("token")
def test_every_expression_names_only_metrics_that_exist(client):
    told = set(re.findall(r"^# TYPE (\w+)", metrics_text(client), re.M))
    told |= {f"{name}_bucket" for name in told} | {"shipskip_backup_age_seconds"}
    asked = [rule["expr"] for rule in RULES]
    asked += [target["expr"] for panel in PANELS for target in panel["targets"]]
    for expression in asked:
        names = set(re.findall(r"\bshipskip_\w+", expression))
        assert names <= told, expression
        assert names or re.search(r"\bup\{|\bprobe_", expression), expression

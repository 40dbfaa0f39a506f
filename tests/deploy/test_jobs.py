"""Units, crontab, container, documents and code name the same jobs and the same times."""

import re
import shutil
import subprocess

import pytest

from shipskip.jobs.timetable import JOBS, RESTORE_CHECK, SOURCES, Job
from tests.source_files import ROOT

UNITS = ROOT / "deploy/systemd"
MANUAL = (ROOT / "docs/operations.md").read_text()
TIMED = [job for job in JOBS if job.calendar]


def value(unit: str, key: str) -> str:
    (found,) = re.findall(rf"^{key}=(.*)", (UNITS / unit).read_text(), re.M)
    return str(found)


def command_of(job: Job) -> str:
    """The management command that the job's service starts, with its arguments."""
    return value(f"shipskip-{job.name}.service", "ExecStart").partition("deploy/manage ")[2]


def test_each_job_has_a_timer_and_no_other_timer_exists():
    names = {path.name for path in UNITS.glob("*.timer")}
    assert names == {f"shipskip-{job.name}.timer" for job in TIMED}
    listed = ",".join(job.name for job in TIMED)
    assert f"shipskip-{{{listed}}}.timer" in MANUAL


@pytest.mark.parametrize("job", TIMED, ids=lambda job: job.name)
def test_a_timer_a_crontab_and_the_documents_name_the_job_s_time(job):
    timer, service = f"shipskip-{job.name}.timer", f"shipskip-{job.name}.service"
    assert value(timer, "OnCalendar") == job.calendar
    assert value(timer, "Unit") == service
    command = command_of(job)
    assert command.split()[0] == job.name
    line = rf"^{re.escape(job.cron)}\s+/srv/shipskip/current/deploy/manage (.+)$"
    assert re.findall(line, MANUAL, re.M) == [command]
    assert re.search(rf"^\| `{job.name}` \| {job.when} \|", MANUAL, re.M)
    # systemd and cron mean the same minutes of five, or the same time of the night.
    found = re.fullmatch(r"\*:(\d)/5", job.calendar)
    if found:
        first = "*" if found[1] == "0" else f"{found[1]}-59"
        assert job.cron == f"{first}/5 * * * *"
    else:
        ((hour, minute),) = re.findall(r"(\d\d):(\d\d) UTC$", job.calendar)
        assert job.cron == f"{int(minute)} {int(hour)} * * *"
        assert f"{hour}:{minute} UTC" in job.when
    if program := shutil.which("systemd-analyze"):
        subprocess.run([program, "calendar", job.calendar], check=True, capture_output=True)


def test_the_job_that_reads_pages_of_others_has_a_limit_of_memory():
    assert value("shipskip-nightly.service", "MemoryMax") == "1G"
    assert "The unit of `nightly` has 1 GB" in MANUAL


def test_a_container_starts_the_same_commands_at_the_same_times():
    times = {"*:0/5": "*:?[05]", "*:2/5": "*:?[27]", "*-*-* 02:30 UTC": "02:30"}
    text = (ROOT / "deploy/jobs").read_text()
    assert dict(re.findall(r"^  at '(\S+)' (.+)$", text, re.M)) == {
        times[job.calendar]: command_of(job) for job in TIMED
    }


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_the_documents_say_when_a_job_is_late(job):
    minutes = int(job.late_after.total_seconds() // 60)
    for unit, length in (("days", 24 * 60), ("hours", 60), ("minutes", 1)):
        if minutes % length == 0 and minutes >= (7 * 24 * 60 if unit == "days" else length):
            late = f"{minutes // length} {unit}"
            break
    steps = {RESTORE_CHECK: "the check of a restore", SOURCES: "that of the sources"}
    name = steps.get(job, f"`{job.name}`")
    assert f"{name} after {late}" in " ".join(MANUAL.split())

"""The migrations of reports, there and back, with rows."""

import pytest

from shipskip.reports.models import Report
from tests import factories as make

pytestmark = pytest.mark.both_databases


def test_reports_of_the_release_before_get_the_present_names_of_their_tools(migrate):
    make.report(tool=make.tool(name="Alpha"), text="One")
    make.report(text="Two")
    migrate("reports", "0003_name_corrections")
    migrate("reports", "0005_fill_names_of_that_day")
    assert dict(Report.objects.values_list("text", "tool_name")) == {"One": "Alpha", "Two": ""}

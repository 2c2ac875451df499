from .diagnosis import Diagnosis as Diagnosis
from .diagnosis import diagnose as diagnose
from .diagnosis import recommended_treatment as recommended_treatment
from .findings import Finding as Finding
from .report import diagnosis_json as diagnosis_json
from .report import report_html as report_html
from .trial import Cure as Cure
from .trial import Trial as Trial
